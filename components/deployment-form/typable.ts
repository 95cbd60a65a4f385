import { hasHidden } from '@/lib/format/hidden-characters'

const MOST = 80

/**
 * Whether a name can be typed to confirm a deletion. Otherwise the id is required, because an escaped name could match
 * another deployment and copying it would confirm something unread.
 */
export const isTypable = (name: string): boolean =>
  name.length <= MOST && name === name.trim() && !hasHidden(name) && !/\s{2}|[^\S ]/.test(name)
