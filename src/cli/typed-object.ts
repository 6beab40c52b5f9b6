import { isExactNumber, parseJsonObject, stringifyJson } from '../model/json.ts'
import { checkNewPet } from '../model/schema.ts'

/** The fields of a JSON object on a command line. */
type Fields = Readonly<Record<string, unknown>>

/** The options that say the same as the object, or why none do. */
export type TypedObject = { readonly options: readonly string[] } | { readonly problem: string }

export function optionsFromObject(kind: 'pet' | 'fields', text: string): TypedObject {
  try {
    const fields = fieldsIn(text)
    return { options: kind === 'pet' ? petOptions(fields) : fieldOptions(fields) }
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: error.message }
    throw error
  }
}

function fieldsIn(text: string): Fields {
  // Some shells take the quotes away.
  if (/\w/.test(text) && !text.includes('"'))
    throw new SyntaxError('it is not JSON, in which names and texts have double quotes')
  const value = parseJsonObject(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SyntaxError('it must be an object')
  return { ...value }
}

function requireScalars(fields: Fields): void {
  const nested = Object.entries(fields).find(([, field]) => !isScalar(field))
  if (nested !== undefined) throw new SyntaxError(`${nested[0]} must be a single value`)
}

const isScalar = (value: unknown) =>
  value === null || typeof value !== 'object' || isExactNumber(value)

/** A category that is missing stays missing; every other field is checked. */
function petOptions(fields: Fields): string[] {
  const known = ['name', 'categoryId', 'status']
  const unknown = Object.keys(fields).find(name => !known.includes(name))
  if (unknown !== undefined) throw new SyntaxError(`a new pet has no field '${unknown}'`)
  requireScalars(fields)
  const { name, categoryId, status } = checkNewPet({ categoryId: 1, ...fields })
  return [
    ...['--name', name],
    ...('categoryId' in fields ? ['--category-id', String(categoryId)] : []),
    ...(status === undefined ? [] : ['--status', status])
  ]
}

function fieldOptions(fields: Fields): string[] {
  requireScalars(fields)
  return Object.entries(fields).flatMap(([name, value]) => {
    if (name === '' || name.includes('='))
      throw new SyntaxError(`no option takes a field '${name}'`)
    return typeof value === 'string'
      ? ['--raw-field', `${name}=${value}`]
      : ['--field', `${name}=${stringifyJson(value)}`]
  })
}
