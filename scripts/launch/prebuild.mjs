// Builds everything that `npm start` would build at its first start, and the program of `audit:verify`, so that
// an image starts at once and writes nothing.
import { buildBelow, ensureBuild, ensureDependencies, ensureDocs, ensurePlatform } from '../bootstrap.mjs'

buildBelow(process.env.NEXTAUTH_URL)
ensureDependencies()
ensurePlatform()
ensureBuild()
// Only now the packages are there.
await (await import('../backup/build-trail.mjs')).buildTrail()
if (!ensureDocs()) process.exit(1)
