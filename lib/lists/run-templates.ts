/** A run request under a name, of one person for one deployment; what is in it is read when it is chosen. */
export type RunTemplate = { id: string; name: string }

export const MAX_TEMPLATES = 50
export const MAX_TEMPLATE_NAME = 80
/** Of its JSON text. */
export const MAX_TEMPLATE_LENGTH = 100_000
