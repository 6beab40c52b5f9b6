import type { Section } from '../section.ts'

/** A page of help that belongs to no single command. */
export interface Topic {
  readonly name: string
  readonly summary: string
  readonly sections: () => readonly Section[]
}
