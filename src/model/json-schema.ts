import * as z from 'zod/mini'

/**
 * A schema as JSON Schema, of a value before or after it is read. The dialect is the same for all,
 * and is documented.
 */
export function schemaAsJson(schema: z.ZodMiniType, io: 'input' | 'output' = 'output') {
  const { $schema: _dialect, ...stated } = z.toJSONSchema(schema, {
    io,
    // JSON Schema has no bigint, and zod writes the limits and patterns of its own types at length.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer'
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.format) delete jsonSchema.pattern
    }
  })
  return stated
}
