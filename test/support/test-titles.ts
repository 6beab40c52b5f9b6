import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Node, parseSource } from './imports.ts'

const directory = fileURLToPath(new URL('..', import.meta.url))

/**
 * What the tests are named: the titles of `describe` and `test`, and the rows of their tables, which become titles. A
 * row of words is a command line.
 */
export function testTitles(): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && name !== 'contract.test.ts')
    .flatMap((name) => titlesIn(`test/${name}`, readFileSync(directory + name, 'utf8')))
}

export function titlesIn(path: string, text: string): string[] {
  const { nodes } = parseSource(path, text)
  return nodes.flatMap((node) => {
    const isTitle = node.type === 'CallExpression' && isTestCall(node.callee as Node)
    return isTitle ? wordsIn((node.arguments as Node[])[0], nodes) : []
  })
}

/** `test(…)`, `describe.each(…)`, `needs('tmux')(…)`: what stands first behind it is a title or a table of them. */
function isTestCall(callee: Node): boolean {
  if (callee.type === 'Identifier') return ['describe', 'test', 'it'].includes(String(callee.name))
  if (callee.type === 'MemberExpression') return isTestCall(callee.object as Node)
  if (callee.type !== 'CallExpression') return false
  const inner = callee.callee as Node
  return isTestCall(inner) || inner.name === 'needs'
}

function wordsIn(node: Node | null | undefined, nodes: readonly Node[]): string[] {
  switch (node?.type) {
    case 'Literal':
      return [String(node.value)]
    case 'TemplateLiteral':
      return [(node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')]
    case 'ArrayExpression': {
      const elements = node.elements as Node[]
      const isCommandLine = elements.every((element) => typeof element?.value === 'string')
      const words = elements.flatMap((element) => wordsIn(element, nodes))
      return isCommandLine ? [...words, words.join(' ')] : words
    }
    case 'ObjectExpression':
      return (node.properties as Node[]).flatMap((property) => wordsIn(property.value as Node, nodes))
    case 'Identifier':
      return wordsIn(declared(String(node.name), nodes), nodes)
    case 'CallExpression':
      return (node.arguments as Node[]).flatMap((argument) => wordsIn(argument, nodes))
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return wordsIn(node.expression as Node, nodes)
    default:
      return []
  }
}

/** The value of a constant of the same file: tables often stand apart. */
function declared(name: string, nodes: readonly Node[]): Node | undefined {
  const found = nodes.find((node) => node.type === 'VariableDeclarator' && (node.id as Node).name === name)
  return found?.init as Node | undefined
}
