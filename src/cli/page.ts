import type { Example } from '../commands/declare.ts'

/** A term and its description. */
export interface Entry {
  readonly term: string
  readonly description: string
}

/** A part of a page of help, before it becomes text for a terminal or a piece of the man page. */
export interface Section {
  readonly heading?: string
  readonly paragraphs?: readonly string[]
  readonly entries?: readonly Entry[]
  /** Lines for a shell, each below a comment on what it is good for. */
  readonly commands?: readonly Example[]
}

/** A page of help that belongs to no single command. */
export interface Topic {
  readonly name: string
  readonly summary: string
  readonly sections: () => readonly Section[]
}
