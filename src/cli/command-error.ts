/** What keeps a command from doing what it is told, in a sentence for the person who runs it. It names the argument first. */
export class CommandError extends Error {
  override readonly name = "CommandError"
}
