import { hasHidden } from '@/lib/format/hidden-characters'

const MOST = 80

/**
 * Whether a name can be typed as a confirmation. Of others the id is asked for: an escaped form of the name could be that of
 * another one, and a button that copies the name would confirm what nobody has read.
 */
export const isTypable = (name: string): boolean =>
  name.length <= MOST && name === name.trim() && !hasHidden(name) && !/\s{2}|[^\S ]/.test(name)
