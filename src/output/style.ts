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
  // Chalk joins all its arguments: as a callback of `map` or `replace` it would print the index or the whole text too.
  const paint =
    (color: (text: string) => string): Paint =>
    (text) =>
      color(text)
  return {
    error: paint(chalk.red),
    notice: paint(chalk.yellow),
    hint: paint(chalk.dim),
    header: paint(chalk.bold),
    key: paint(chalk.blue),
    string: paint(chalk.green),
    literal: paint(chalk.yellow),
    good: paint(chalk.green),
    waiting: paint(chalk.yellow),
    past: paint(chalk.dim),
  }
}
