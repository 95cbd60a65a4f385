import 'server-only'
import { deleteExpired } from '../retention'
import { moveOld, removeUnused } from './move'
import { packForgotten } from './pack'

/** Packs, deletes and moves what is due. */
export async function keepUp(): Promise<void> {
  await packForgotten()
  await deleteExpired()
  await moveOld()
  await removeUnused()
}
