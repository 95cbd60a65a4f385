/** Where the key is to be put: a snippet names the variable and never holds a key. */
export const KEY_VARIABLE = 'AGENT_API_KEY'

/** A text as one word of a shell's command. */
export const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
