/** A letter as a pen draws it, on a square of 20 units from the top of a capital to its foot. */
export type LetterShape = {
  readonly width: number
  /** The path of the pen's middle, as in the `d` of an SVG path; the pen is round. */
  readonly path: string
}

// Drawn for this project, so that pictures look the same on every machine, whatever fonts it has or lacks.
const BOWL = "a5.5 5.5 0 0 0 0-11H0"
const ROUND = "M9 0a9 10 0 1 0 0 20a9 10 0 1 0 0-20z"
const NARROW_ROUND = "M7 0a7 10 0 1 0 0 20a7 10 0 1 0 0-20z"
const OPEN_RIGHT = "M16 4a9.2 10 0 1 0 0 12"

const SHAPES: Readonly<Record<string, readonly [width: number, path: string]>> = {
  A: [16, "M0 20 8 0l8 20M2.8 13h10.4"],
  B: [13, `M0 0v20h7.5${BOWL}M7 9a4.5 4.5 0 0 0 0-9H0`],
  C: [16, OPEN_RIGHT],
  D: [15, "M0 0v20h6a9 10 0 0 0 0-20z"],
  E: [11, "M11 0H0v20h11M0 10h9.5"],
  F: [11, "M11 0H0v20M0 10h9"],
  G: [16.5, "M16 4a9.2 10 0 1 0 .5 12v-5h-6"],
  H: [14, "M0 0v20M14 0v20M0 10h14"],
  I: [0, "M0 0v20"],
  J: [9, "M9 0v14.5a5.5 5.5 0 0 1-9 3.5"],
  K: [13, "M0 0v20M13 0 0 12M4.7 7.7 13 20"],
  L: [11, "M0 0v20h11"],
  M: [18, "M0 20V0l9 13 9-13v20"],
  N: [14, "M0 20V0l14 20V0"],
  O: [18, ROUND],
  P: [12, "M0 20V0h6.5a5.75 5.75 0 0 1 0 11.5H0"],
  Q: [18, `${ROUND}M11 14l6.5 7`],
  R: [13, "M0 20V0h6.5a5.75 5.75 0 0 1 0 11.5H0M6 11.5 13 20"],
  S: [12.5, "M12 3.5C10.5 1 8.5 0 6.2 0 3 0 .8 2 .8 4.8.8 11.5 12.5 7.8 12.5 15c0 3-2.5 5-6 5-3 0-5.2-1.3-6.5-4"],
  T: [14, "M0 0h14M7 0v20"],
  U: [14, "M0 0v13a7 7 0 0 0 14 0V0"],
  V: [16, "M0 0l8 20 8-20"],
  W: [22, "M0 0l5.5 20L11 4l5.5 16L22 0"],
  X: [14, "M0 0l14 20M14 0 0 20"],
  Y: [14, "M0 0l7 10.5V20M14 0 7 10.5"],
  Z: [13, "M0 0h13L0 20h13"],
  0: [14, NARROW_ROUND],
  1: [5, "M0 4 5 0v20"],
  2: [12.5, "M.5 4.5C1.5 1.5 3.5 0 6.2 0 9.5 0 12 2.2 12 5.5 12 10.5 4 13 0 20h12.5"],
  3: [
    12,
    "M.5 2.8C2 1 3.8 0 6 0c3.3 0 5.7 1.8 5.7 4.7S9.4 9.3 6 9.3H4.5M6 9.3c3.8 0 6.3 2 6.3 5.3S9.6 20 6 20c-2.6 0-4.7-1-6-3.2",
  ],
  4: [13, "M9.5 20V0L0 14.5h13"],
  5: [12, "M11 0H2L1 9c1.2-1 3-1.6 5-1.6 3.7 0 6.3 2.5 6.3 6.2S9.6 20 6 20c-2.7 0-4.8-1.2-6-3.4"],
  6: [13, "M10.5 0C4 3 0 8 0 13.5a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0"],
  7: [12, "M0 0h12L4 20"],
  8: [12, "M6 0a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM6 9.2a5.4 5.4 0 1 0 0 10.8a5.4 5.4 0 1 0 0-10.8z"],
  9: [13, "M2.5 20C9 17 13 12 13 6.5a6.5 6.5 0 1 0-13 0a6.5 6.5 0 1 0 13 0"],
  // Greek and Cyrillic, where no letter above has the same shape.
  Δ: [16, "M0 20 8 0l8 20z"],
  Θ: [18, `${ROUND}M5 10h8`],
  Λ: [16, "M0 20 8 0l8 20"],
  Ξ: [13, "M0 0h13M1.5 10h10M0 20h13"],
  Σ: [13, "M13 0H0l8 10-8 10h13"],
  Ψ: [17, "M8.5 0v20M0 0v4.5a8.5 8.5 0 0 0 17 0V0"],
  Ω: [17, "M0 20h5.5C2 18 0 14 0 9.5 0 4 3.5 0 8.5 0S17 4 17 9.5c0 4.5-2 8.5-5.5 10.5H17"],
  Б: [12, `M11 0H0v20h6.5${BOWL}`],
  Г: [11, "M11 0H0v20"],
  Д: [16, "M0 24v-4h16v4M2 20C4 15 4.5 9 4.5 0h9v20"],
  Ж: [20, "M10 0v20M0 0l10 10L0 20M20 0 10 10l10 10"],
  И: [14, "M0 0v20L14 0v20"],
  Л: [15, "M0 20c3.5 0 4.5-6 4.5-20H15v20"],
  П: [14, "M0 20V0h14v20"],
  У: [14, "M0 0l7.5 12M14 0 6 17c-1 2-2.5 3-5 3"],
  Ф: [18, "M9 0v20M9 3a9 6.8 0 1 0 0 13.6a9 6.8 0 1 0 0-13.6z"],
  Ц: [16.5, "M0 0v20h14V0M14 20h2.5v4"],
  Ч: [14, "M0 0v6a5 5 0 0 0 5 5h9M14 0v20"],
  Ш: [18, "M0 0v20h18V0M9 0v20"],
  Щ: [20.5, "M0 0v20h18V0M9 0v20M18 20h2.5v4"],
  Ы: [15, `M0 0v20h5${BOWL}M15 0v20`],
  Э: [16.5, "M0 4a9.2 10 0 1 1 0 12M7 10h9.5"],
  Ю: [22, "M0 0v20M0 10h5M13.5 0a8.5 10 0 1 0 0 20a8.5 10 0 1 0 0-20z"],
  Я: [13, "M13 20V0H6.5a5.75 5.75 0 0 0 0 11.5H13M7 11.5 0 20"],
  Є: [16, `${OPEN_RIGHT}M0 10h9`],
}

/** What is drawn as another letter: its like in another alphabet, or what it is when nothing is set on or through it. */
const LIKE = new Map(
  Object.entries({
    A: "ΑАÆ", B: "ΒВ", C: "С", D: "ĐÐ", E: "ΕЕ", H: "ΗНĦ", I: "ΙІӀ", J: "Ј", K: "ΚК", L: "Ł", M: "ΜМ", N: "Ν", O: "ΟОØŒ",
    P: "ΡРÞ", S: "Ѕẞ", T: "ΤТŦ", X: "ΧХ", Y: "Υ", Z: "Ζ", 3: "З", Г: "ΓҐ", П: "Π", Ф: "Φ",
  }).flatMap(([shape, letters]) => [...letters].map((letter) => [letter, shape] as const)),
) // biome-ignore format: a table

/** How a letter or digit of the Latin, Greek or Cyrillic alphabet is drawn, as a capital without its accents; undefined for any other. */
export function shapeOf(letter: string): LetterShape | undefined {
  const [plain = ""] = letter.normalize("NFKD").toUpperCase()
  const name = LIKE.get(plain) ?? plain
  if (!Object.hasOwn(SHAPES, name)) return undefined
  const [width, path] = SHAPES[name] as readonly [number, string]
  return { width, path }
}
