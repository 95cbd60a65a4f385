/** The time zone of a schedule without one. */
export const UTC = 'UTC'
