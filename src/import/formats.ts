/** The formats of an import; apart, because every start loads them. */
export const importFormats = ['ndjson', 'json', 'csv'] as const
export type ImportFormat = (typeof importFormats)[number]
