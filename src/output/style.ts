type Paint = (text: string) => string

/** The kinds of text that have a color. */
export interface Style {
  readonly error: Paint
  readonly notice: Paint
  readonly hint: Paint
  readonly header: Paint
  readonly key: Paint
  readonly string: Paint
  readonly literal: Paint
  /** States of things: ready, in progress, over. */
  readonly good: Paint
  readonly waiting: Paint
  readonly past: Paint
}

const bare: Paint = (text) => text

export const plainStyle: Style = {
  error: bare,
  notice: bare,
  hint: bare,
  header: bare,
  key: bare,
  string: bare,
  literal: bare,
  good: bare,
  waiting: bare,
  past: bare,
}

/** Chalk loads only if there is color. Its own detection is not used: the settings decide. */
export async function styleFor(isColored: boolean): Promise<Style> {
  if (!isColored) return plainStyle
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  return {
    error: chalk.red,
    notice: chalk.yellow,
    hint: chalk.dim,
    header: chalk.bold,
    key: chalk.blue,
    string: chalk.green,
    literal: chalk.yellow,
    good: chalk.green,
    waiting: chalk.yellow,
    past: chalk.dim,
  }
}
