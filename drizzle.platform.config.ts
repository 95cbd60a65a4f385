import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./platform/kernel/schema.ts', './platform/traces/schema.ts'],
  out: './drizzle/platform',
})
