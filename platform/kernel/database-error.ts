/** drizzle wraps the driver's error in one whose message is the statement with all its values. */
const causeOf = (error: unknown) => ((error as Error).cause ?? error) as Error & { code?: string; constraint?: string }

/** What went wrong, without the statement and its values. */
export const reasonOf = (error: unknown): string => causeOf(error).message

export const isMissingReference = (error: unknown): boolean => causeOf(error).code === '23503'

/** Whether a row was refused by a unique index of that name. */
export const isTaken = (error: unknown, index: string): boolean =>
  causeOf(error).code === '23505' && causeOf(error).constraint === index
