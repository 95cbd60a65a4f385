// Builds everything that `npm start` would build at its first start, so that an image starts at once and writes nothing.
import { ensureBuild, ensureDependencies, ensureDocs, ensurePlatform } from '../bootstrap.mjs'

ensureDependencies()
ensurePlatform()
ensureBuild()
if (!ensureDocs()) process.exit(1)
