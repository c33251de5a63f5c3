/**
 * Whether a key is the input method's, by which somebody chooses a character, and thus no command. Safari sends the last of
 * them behind the end of the composition, and tells it by its number alone.
 * @param {KeyboardEvent} event
 */
export const isComposing = (event) => event.isComposing || event.keyCode === 229
