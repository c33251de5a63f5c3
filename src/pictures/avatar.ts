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
 * Where the picture of a user is to be had: his own, else a drawn one with his initials. They stand in the address, so that
 * who draws it does not look anybody up.
 * @param size width in pixels, one of {@link AVATAR_SIZES}; his own picture comes in one size
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
