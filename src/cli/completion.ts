import { Argument, type Command } from "commander"
import { examples } from "./examples.js"

const SHELLS = ["bash", "zsh", "fish"] as const
type Shell = (typeof SHELLS)[number]

/** What can follow the words of a command, such as `token create`. */
type Place = {
  readonly words: string
  readonly commands: readonly { readonly name: string; readonly text: string }[]
  readonly options: readonly Choice[]
  /** Whether files are among what can follow. */
  readonly takesFile: boolean
  /** What an argument can be, when that is a list. */
  readonly choices: readonly string[]
}
type Choice = {
  readonly flags: readonly string[]
  readonly text: string
  readonly takesValue: boolean
  /** What its value can be, when that is a list. */
  readonly values: readonly string[]
}

const firstLine = (text: string): string => text.split("\n", 1)[0] as string

function placesOf(command: Command, words = ""): Place[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const place: Place = {
    words,
    commands: commands.map((each) => ({ name: each.name(), text: firstLine(each.summary() || each.description()) })),
    options: help.visibleOptions(command).map((option) => ({
      flags: [option.short, option.long].filter((flag): flag is string => flag != null),
      text: firstLine(option.description),
      takesValue: option.required || option.optional,
      values: option.argChoices ?? [],
    })),
    takesFile: command.registeredArguments.some((argument) => argument.name() === "file"),
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  }
  const inside = commands
    .filter((each) => each.name() !== "help")
    .flatMap((each) => placesOf(each, `${words} ${each.name()}`.trim()))
  return [place, ...inside]
}

const flagsOf = ({ options }: Place): string[] => options.flatMap(({ flags }) => flags)
const wordsAt = (place: Place): string =>
  [...place.commands.map(({ name }) => name), ...place.choices, ...flagsOf(place)].join(" ")
const withValues = (places: readonly Place[]) =>
  places.flatMap(({ words, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => ({ words, ...option })),
  )

/** Works with the bash of macOS, 3.2, which knows no associative arrays. */
function bash(places: readonly Place[]): string {
  const values = withValues(places).map(({ words, flags, values: each }) => {
    const found =
      each.length > 0 ? `COMPREPLY=($(compgen -W "${each.join(" ")}" -- "$word"))` : "compopt -o default 2>/dev/null"
    return `    ${flags.map((flag) => `"${words}|${flag}"`).join(" | ")}) ${found}; return ;;`
  })
  const lines = places.map(
    (place) => `    "${place.words}") words="${wordsAt(place)}"${place.takesFile ? "; files=1" : ""} ;;`,
  )
  const known = places.filter(({ words }) => words !== "").map(({ words }) => `"${words}"`)
  return `# Completion of tandem for bash. Load it with: source <(tandem completion bash)
_tandem() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" at="" next words="" files="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${at:+$at }\${COMP_WORDS[i]}"
    case "$next" in
    ${known.join(" | ")}) at="$next" ;;
    esac
  done
  case "$at|$before" in
${values.join("\n")}
  esac
  case "$at" in
${lines.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ -n $files && $word != -* ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi
}
complete -o bashdefault -F _tandem tandem tandem-gateway
`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function zsh(places: readonly Place[]): string {
  const described = (name: string, text: string) => quoted(`${name.replaceAll(":", "\\:")}:${text}`)
  const lines = places.map((place) => {
    const words = [
      ...place.commands.map(({ name, text }) => described(name, text)),
      ...place.choices.map((choice) => described(choice, "")),
      ...place.options.flatMap(({ flags, text }) => flags.map((flag) => described(flag, text))),
    ]
    return `    ${quoted(place.words)}) words=(${words.join(" ")}) ${place.takesFile ? "files=1 " : ""};;`
  })
  const values = withValues(places).map(({ words, flags, values: each }) => {
    const found = each.length > 0 ? `compadd -- ${each.join(" ")}` : "_files"
    return `    ${flags.map((flag) => quoted(`${words}|${flag}`)).join(" | ")}) ${found}; return ;;`
  })
  const known = places.filter(({ words }) => words !== "").map(({ words }) => quoted(words))
  return `#compdef tandem tandem-gateway
# Completion of tandem for zsh. Load it with: source <(tandem completion zsh)
_tandem() {
  local at="" next files="" i
  local -a words_given; words_given=("\${words[@]}")
  local -a words
  for ((i = 2; i < CURRENT; i++)); do
    next="\${at:+$at }\${words_given[i]}"
    case "$next" in
    ${known.join(" | ")}) at="$next" ;;
    esac
  done
  case "$at|\${words_given[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$at" in
${lines.join("\n")}
  esac
  _describe tandem words
  [[ -n $files ]] && _files
}
compdef _tandem tandem tandem-gateway
`
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap((place) => {
    const names = place.words.split(" ").filter(Boolean)
    const inside = place.commands.map(({ name }) => name)
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`)
    const open = inside.length > 0 ? [`not __fish_seen_subcommand_from ${inside.join(" ")}`] : []
    const when = [...seen, ...open].join("; and ")
    const start = `complete -c tandem -n ${quoted(when || "true")}`
    return [
      ...place.commands.map(({ name, text }) => `${start} -f -a ${name} -d ${quoted(text)}`),
      ...(place.choices.length > 0 ? [`${start} -f -a ${quoted(place.choices.join(" "))}`] : []),
      ...place.options.map(({ flags, text, takesValue, values }) => {
        const named = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
        const value = takesValue ? ` -r${values.length > 0 ? ` -f -a ${quoted(values.join(" "))}` : ""}` : ""
        return `${start} ${named.join(" ")}${value} -d ${quoted(text)}`
      }),
    ]
  })
  return `# Completion of tandem for fish. Load it with: tandem completion fish | source\n${lines.join("\n")}\n`
}

const WRITERS: Record<Shell, (places: readonly Place[]) => string> = { bash, zsh, fish }

/** `completion`: what makes a shell complete commands, made from the commands themselves. */
export const addCompletion = (program: Command): Command =>
  program
    .command("completion")
    .summary("print what makes a shell complete commands")
    .description("Prints a script that makes a shell complete the commands and options of tandem.")
    .addArgument(new Argument("<shell>", "the shell").choices([...SHELLS]))
    .addHelpText(
      "after",
      examples(
        "source <(tandem completion bash)    # also in ~/.bashrc",
        "tandem completion zsh > ~/.zfunc/_tandem",
        "tandem completion fish > ~/.config/fish/completions/tandem.fish",
      ),
    )
    .action((shell: Shell) => void process.stdout.write(WRITERS[shell](placesOf(program))))
