/**
 * A box with scrolling content. Padding keeps the content inside the round corners, because clipping at them makes
 * scrolling several times slower in browsers without a graphics card.
 */
export const scrollPanel = 'rounded-lg border bg-panel p-0.5'
