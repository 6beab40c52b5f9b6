import type { AnyCommand, Example } from '../commands/declare.ts'

/** A term and its description. */
export interface Entry {
  readonly term: string
  readonly description: string
}

/** A part of a help page, before it is rendered for a terminal, as Markdown or for the man page. */
export interface Section {
  readonly heading?: string
  /** The command whose page explains the section. */
  readonly seeAlso?: string
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
  /** The page is Markdown that begins with these fields: a skill for agents. */
  readonly frontMatter?: Readonly<Record<string, string>>
}
