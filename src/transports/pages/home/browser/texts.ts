import { en } from "./texts.en.js"

/** The form of a language: another one is another object of it. */
type Texts = typeof en

const LANGUAGES: Readonly<Record<string, Texts>> = { en }

/** The language of the page: the first that the reader prefers and that is here. */
export const language: string =
  navigator.languages.map((one) => one.slice(0, 2)).find((one) => Object.hasOwn(LANGUAGES, one)) ?? "en"

/** In the first of the reader's languages that is here, or in English. */
export const t: Texts = LANGUAGES[language] ?? en
