import { useLayoutEffect, useState } from "preact/hooks"
import type { View } from "../../../../client/client.js"
import { client } from "./session.js"

/**
 * What `select` reads of the view, for a component that is drawn again whenever that has changed.
 * @param inputs what `select` uses beside the view
 */
export function useView<Value>(select: (view: View) => Value, inputs: readonly unknown[] = []): Value {
  const [, draw] = useState({})
  useLayoutEffect(() => client.subscribe(select, () => draw({})), inputs as unknown[])
  return select(client.view)
}
