import { InvalidArgumentError, Option } from "commander"
import { inOrder, SCOPES, type Scope } from "../scalars/scope.js"

/** `--scope`, which may be repeated or name several; all where it is left out. */
export const scopeOption = (what: string): Option =>
  new Option("--scope <scopes>", `${what}: some of ${SCOPES.join(", ")}; can be repeated (default: all)`).argParser(
    (text: string, before: readonly Scope[] = []): readonly Scope[] => {
      const named = text.split(/[ ,]+/)
      const unknown = named.find((one) => !SCOPES.includes(one as Scope))
      if (unknown !== undefined) throw new InvalidArgumentError(`There is no scope ${unknown}.`)
      return inOrder([...before, ...named])
    },
  )
