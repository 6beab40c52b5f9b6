/** The problem with a pet of which one value would be lost. */
export const repeatedKey = 'it has the same field twice'

/** JSON.parse takes the last of several fields with the same name. */
export function hasRepeatedKey(text: string, value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject) return false
  const outsideStrings = text.replace(/"(?:[^"\\]|\\.)*"/g, '')
  return countFields(outsideStrings) > Object.keys(value).length
}

/** The colons that are not in a nested object. */
function countFields(outsideStrings: string): number {
  let depth = 0
  let fields = 0
  for (let index = 0; index < outsideStrings.length; index += 1) {
    const sign = outsideStrings[index]
    if (sign === '{') depth += 1
    else if (sign === '}') depth -= 1
    else if (sign === ':' && depth === 1) fields += 1
  }
  return fields
}
