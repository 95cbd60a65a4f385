/** Placeholder in snippets, which never contain a key. */
export const KEY_VARIABLE = 'AGENT_API_KEY'

/** Quotes a text as one word of a shell command. */
export const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
