/** The widths in pixels that pictures come in; those of the retired service. */
export const AVATAR_SIZES: readonly number[] = [25, 28, 30, 32, 50, 54, 56, 60, 64, 108, 128, 135, 256, 270, 512]

/** The fault of a width that no picture has. */
export const NO_AVATAR_SIZE = `must be one of ${AVATAR_SIZES.join(", ")}`

/** The first letters of the first and the last word of a name, in capitals; none when it has no letters or digits. */
function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}][^\s]*/gu) ?? []
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words
  return letters.map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "").join("")
}

/**
 * The address of a user's picture: their own, else a drawn one with their initials. The initials are in the address, so that
 * drawing it needs no look-up.
 * @param size width in pixels, one of {@link AVATAR_SIZES}; the user's own picture comes in one size
 */
export function avatarUrlOf(
  publicUrl: string,
  { id, name, avatarUrl }: { id: string; name: string; avatarUrl?: string | null },
  size?: number | null,
): string {
  if (avatarUrl != null) return avatarUrl
  const initials = initialsOf(name)
  const query = new URLSearchParams({
    ...(initials === "" ? {} : { initials }),
    ...(size == null ? {} : { size: String(size) }),
  })
  return `${publicUrl}/avatars/${id}.png${query.size > 0 ? `?${query}` : ""}`
}
