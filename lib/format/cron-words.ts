import cronstrue from 'cronstrue'

/** A schedule of five fields in words; undefined if it is not understood. */
export function scheduleWords(schedule: string): string | undefined {
  const fields = schedule.trim().split(/\s+/)
  if (fields.length !== 5) return undefined
  try {
    const words = cronstrue.toString(fields.join(' '), { use24HourTimeFormat: true })
    const [, , dayOfMonth = '', , dayOfWeek = ''] = fields
    // Servers run on days that match either field.
    return [dayOfMonth, dayOfWeek].some((field) => /^[*?]/.test(field)) ? words : words.replace(', and on ', ', or on ')
  } catch {
    return undefined
  }
}
