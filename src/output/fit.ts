interface ColumnWidth {
  /** What the column takes where there is room enough. */
  readonly natural: number
  /** How far it gives, first; then, where that was not enough of all columns, how far in the next round; and so on. */
  readonly floors: readonly number[]
}

/** How wide each column may be for all of them to share the room: in each round the widest give first. */
export function fitColumns(columns: readonly ColumnWidth[], room: number): number[] {
  const widths = columns.map(({ natural }) => Math.min(natural, Math.max(room, 1)))
  const rounds = Math.max(0, ...columns.map(({ floors }) => floors.length))
  for (let round = 0; round < rounds; round += 1) {
    const floors = columns.map((column) => column.floors[round] ?? 1)
    shrink(widths, floors, room)
  }
  return widths
}

function shrink(widths: number[], floors: readonly number[], room: number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - room
  for (; excess > 0; excess -= 1) {
    let widest = -1
    widths.forEach((width, index) => {
      if (width > (floors[index] ?? 1) && width > (widths[widest] ?? 0)) widest = index
    })
    if (widest === -1) return
    widths[widest] = (widths[widest] ?? 0) - 1
  }
}
