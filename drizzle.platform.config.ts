import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './platform/control-plane/schema.ts',
  out: './drizzle/platform',
})
