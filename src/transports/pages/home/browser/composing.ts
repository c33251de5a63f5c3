/**
 * Whether a key is the input method's, by which somebody chooses a character, and thus no command. Safari sends the last of
 * them behind the end of the composition, and tells it by its number alone.
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229
