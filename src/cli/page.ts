import type { AnyCommand, Example } from '../commands/declare.ts'

/** A term and its description. */
export interface Entry {
  readonly term: string
  readonly description: string
}

/** A part of a page of help, before it becomes text for a terminal, Markdown or a part of the man page. */
export interface Section {
  readonly heading?: string
  readonly paragraphs?: readonly string[]
  readonly entries?: readonly Entry[]
  /** Lines for a shell, each below a comment on what it does. */
  readonly commands?: readonly Example[]
}

/** A page of help that belongs to no single command. */
export interface Topic {
  readonly name: string
  readonly summary: string
  readonly sections: (program: AnyCommand) => readonly Section[]
  /** A page for agents is a skill: Markdown that begins with these fields. */
  readonly frontMatter?: Readonly<Record<string, string>>
}
