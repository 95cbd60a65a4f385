/** Text that comes back to a field, before what was typed there by then. */
export const joinText = (earlier: string, typed: string): string => [earlier, typed].filter(Boolean).join('\n')
