import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './lib/server/{process,recorder}/schema.ts',
  out: './drizzle/console',
  schemaFilter: ['console'],
})
