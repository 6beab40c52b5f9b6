/**
 * The files that are generated from the command tree, and the command lines that print them.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const generatedFiles = {
  'completions/petstore.bash': ['completion', 'bash'],
  'completions/_petstore': ['completion', 'zsh'],
  'completions/petstore.fish': ['completion', 'fish'],
  'man/petstore.1': ['help', '--man'],
  'docs/reference.md': ['__reference'],
  'skills/petstore/SKILL.md': ['help', 'agents'],
}
