// node scripts/docs/ensure.mjs: builds the documentation site if its sources changed, beside another program.
import { ensureDocs } from '../bootstrap.mjs'

process.exit(ensureDocs() ? 0 : 1)
