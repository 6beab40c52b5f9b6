import { plural } from '../../model/quantities.ts'
import type { Host } from '../../platform/host.ts'
import type { Reporter } from '../reporter.ts'
import { print } from '../stream.ts'
import { renderTable } from '../table.ts'
import type { View } from '../view.ts'
import type { Looks } from './watch.ts'

interface ScreenOptions {
  readonly host: Host
  readonly report: Reporter
  readonly view: View
  /** The name of the environment, for the heading. */
  readonly title: string
}

const enter = '\u001b[?1049h\u001b[?25l'
const leave = '\u001b[?25h\u001b[?1049l'
const clear = '\u001b[H\u001b[J'
const signs = { added: '+', changed: '~', gone: '-' }

/** Shows the current list on the alternate screen of a terminal, first what changed. */
export async function showOnScreen(
  looks: Looks,
  { host, report, view, title }: ScreenOptions
): Promise<void> {
  let table = ''
  let notes: readonly string[] = []
  let heading = `${title}: not listed yet`
  const draw = () => {
    const lines = [`${heading}; Ctrl-C ends`, ...table.trimEnd().split('\n')]
    const shown = [
      ...lines.slice(0, host.rows() - notes.length - 1),
      ...notes.map(view.style.notice)
    ]
    return print(host, 'stdout', clear + shown.join('\r\n'))
  }
  const stopGuarding = host.onTerminalLost(
    () => host.stdout.write(leave),
    () => host.stdout.write(enter)
  )
  report.divertNotices(message => {
    notes = [message]
  })
  try {
    await print(host, 'stdout', enter)
    await draw()
    for await (const look of looks) {
      if ('failure' in look) {
        const { message } = await report.describe(look.failure)
        notes = [`error: ${message}; trying again in ${look.secondsToNext} s`]
      } else {
        const { pets, isFirst, limit } = look
        // In the first list, every pet would be marked.
        const changes = isFirst ? [] : look.changes
        const changed = new Set(changes.map(({ pet }) => pet.id))
        const others = pets.filter(({ id }) => !changed.has(id))
        const rows = [...changes.map(({ pet, kind }) => ({ ...pet, ' ': signs[kind] })), ...others]
        const columns = [' ', ...view.columns]
        table = renderTable(rows, { columns, width: host.columns(), style: view.style })
        const time = host.now().toTimeString().slice(0, 8)
        heading = `${plural(pets.length, 'pet')}, ${plural(changes.length, 'change')} (${title}, ${time})`
        notes = limit === undefined ? [] : [limit]
      }
      await draw()
    }
  } finally {
    stopGuarding()
    await print(host, 'stdout', leave)
  }
}
