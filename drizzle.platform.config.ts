import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./platform/control-plane/schema.ts', './platform/traces/schema.ts'],
  out: './drizzle/platform',
})
