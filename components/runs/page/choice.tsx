/** A menu item with a line about what it does. */
export const Choice = ({ title, hint }: { title: string; hint: string }) => (
  <span>
    <span className="block font-medium">{title}</span>
    <span className="block text-ink-3 text-xs">{hint}</span>
  </span>
)
