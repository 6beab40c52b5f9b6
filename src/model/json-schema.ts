import * as z from 'zod/mini'

/**
 * A schema as JSON Schema, of a value before or after it is read. The dialect is the same for all,
 * and is documented.
 */
export function schemaAsJson(schema: z.ZodMiniType, io: 'input' | 'output' = 'output') {
  const { $schema: _dialect, ...stated } = z.toJSONSchema(schema, {
    io,
    // JSON Schema has no bigint.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer'
    }
  })
  return stated
}
