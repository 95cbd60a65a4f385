import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './lib/server/{schema,recorder/schema}.ts',
  out: './drizzle/console',
  schemaFilter: ['console'],
})
