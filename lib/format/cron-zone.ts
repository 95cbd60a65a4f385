/** The zone of a schedule that names none. */
export const UTC = 'UTC'
