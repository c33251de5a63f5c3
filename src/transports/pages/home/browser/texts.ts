// Every text of the page. Another language is another object of this form in LANGUAGES.

const plural = new Intl.PluralRules("en")
const tasks = (n: number) => `${n} ${plural.select(n) === "one" ? "task" : "tasks"}`
const changes = (n: number) => `${n} ${plural.select(n) === "one" ? "change" : "changes"}`

const en = {
  // Places
  yourLists: "Your lists",
  lists: "Lists",
  inbox: "Inbox",
  today: "Today",
  week: "Week",
  starred: "Starred",
  assigned: "Assigned to me",
  completed: "Completed",
  search: "Search",
  open: " open",
  hasNews: ", changed",
  showLists: "Show lists",
  overdue: "Overdue",

  // Connection
  live: "Live",
  connecting: "Connecting",
  offline: "Offline",
  offlineWaiting: (n: number) => `Offline, ${changes(n)} waiting`,
  signedOut: "Signed out",
  tryNow: "Try now",
  neverOpened: "Open this page once with a network. From then on it opens without one too.",
  notStored: "This browser keeps nothing for this page: what you write while offline is lost when you close it.",
  tooLarge: "Loading your lists…",

  // Lists
  newList: "New list",
  createList: "Create list",
  newFolder: "New folder",
  folderName: "Folder name",
  folder: (title: string) => `Folder ${title}`,
  renameFolder: "Rename folder",
  deleteFolder: "Delete folder",
  noFolder: "No folder",
  moveToFolder: "Move to folder",
  invitations: "Invitations",
  invitedBy: (name: string) => `from ${name}`,
  accept: "Accept",
  decline: "Decline",
  acceptList: (title: string) => `Accept ${title}`,
  declineList: (title: string) => `Decline ${title}`,
  declined: (title: string) => `Declined ${title}`,
  share: "Share",
  rename: "Rename",
  newName: "New name",
  mute: "Mute",
  unmute: "Unmute",
  mutedHint: "Muted",
  leaveList: "Leave list",
  deleteList: "Delete list",
  deleteListAsked: (title: string) => `Delete ${title}?`,
  deleteListHint: "The list and everything in it is deleted for all members.",
  leaveListAsked: (title: string) => `Leave ${title}?`,
  leaveListHint: "You will no longer see it. A member can invite you again.",
  listDeleted: (title: string) => `${title} deleted`,
  listLeft: (title: string) => `Left ${title}`,
  moveUp: "Move up",
  moveDown: "Move down",
  listOptions: "List options",
  optionsOf: (title: string) => `Options of ${title}`,
  noList: "This list does not exist, or you are no longer a member.",

  // Members
  members: "Members",
  owner: "owner",
  invited: "invited",
  you: "you",
  somebody: "Invited person",
  emailAddress: "Email address",
  invite: "Invite",
  remove: "Remove",
  removeMember: (name: string) => `Remove ${name}`,
  memberRemoved: (name: string) => `${name} removed`,

  // Tasks
  addTask: "Add a task",
  add: "Add",
  openTasks: "Open tasks",
  completedTasks: "Completed tasks",
  noTasks: "No tasks yet",
  noTasksHint: "Add the first one above.",
  allCompleted: "All done",
  allCompletedHint: "Every task here is completed.",
  nothingToday: "Nothing is due today",
  nothingHere: "Nothing here",
  nothingFound: "Nothing found",
  nothingFoundHint: "No title, note, step, comment or file has this text.",
  searchHint: "Titles, notes, steps, comments, files",
  showCompleted: (n: number) => `Show ${n} completed`,
  hideCompleted: (n: number) => `Hide ${n} completed`,
  isDone: (title: string) => `${title} is done`,
  star: (title: string) => `Star ${title}`,
  moveTask: (title: string, place: number, of: number) => `Move ${title}, ${place} of ${of}`,
  howToMove: "Drag it, or move it with the arrow keys.",
  selectedHint: "selected",
  waiting: "not sent yet",
  steps: (done: number, of: number) => `${done} of ${of} steps`,
  notesBadge: "has notes",
  filesBadge: (n: number) => `${n} ${n === 1 ? "file" : "files"}`,
  commentsBadge: (n: number) => `${n} ${n === 1 ? "comment" : "comments"}`,
  unreadBadge: "unread",
  repeatsBadge: "repeats",
  reminderBadge: "has a reminder",
  assignedTo: (name: string) => `Assigned to ${name}`,

  // Undo
  undo: "Undo",
  undone: "Undone",
  tooLate: "That can no longer be undone.",
  taskDeleted: (n: number) => `${tasks(n)} deleted`,
  taskCompleted: (n: number) => `${tasks(n)} completed`,
  taskReopened: (n: number) => `${tasks(n)} reopened`,
  taskMoved: (n: number, list: string) => `${tasks(n)} moved to ${list}`,
  taskPlaced: (n: number) => `${tasks(n)} moved`,
  taskStarred: (n: number) => `${tasks(n)} starred`,
  taskDated: (n: number, day: string) => `${tasks(n)} due ${day}`,
  taskUndated: (n: number) => `${tasks(n)} without a due date`,
  deleted: (what: string) => `${what} deleted`,

  // Selection
  selectTasks: "Select tasks",
  selected: (n: number) => `${n} selected`,
  complete: "Complete",
  reopen: "Reopen",
  starIt: "Star",
  unstar: "Remove star",
  moveToList: "Move to list",
  clearSelection: "Clear selection",

  // Details
  details: "Details",
  close: "Close",
  task: "Task",
  due: "Due",
  tomorrow: "Tomorrow",
  nextWeek: "Next week",
  noDate: "No date",
  repeats: "Repeats",
  never: "Never",
  every: "Every",
  period: { day: "day", week: "week", month: "month", year: "year" },
  periods: { day: "days", week: "weeks", month: "months", year: "years" },
  reminders: "Reminders",
  addReminder: "Add reminder",
  remindAt: "Remind me at",
  deleteReminder: "Delete reminder",
  assignee: "Assigned to",
  nobody: "Nobody",
  list: "List",
  stepsTitle: "Steps",
  addStep: "Add a step",
  stepName: "Step",
  deleteStep: (title: string) => `Delete ${title}`,
  moveStep: (title: string) => `Move ${title}`,
  notes: "Notes",
  addNote: "Add a note",
  note: "Note",
  editNote: "Edit note",
  deleteNote: "Delete note",
  doneEditing: "Done",
  markdownHint: "Markdown works: **bold**, *italic*, - lists, `code`",
  files: "Files",
  attach: "Attach files",
  uploading: (name: string) => `Uploading ${name}`,
  uploadFailed: "Could not be uploaded.",
  retry: "Retry",
  dismiss: "Dismiss",
  deleteFile: (name: string) => `Delete ${name}`,
  notReachable: "This needs a network. Try again when you are online.",
  comments: "Comments",
  comment: "Comment",
  writeComment: "Write a comment",
  deleteComment: "Delete comment",
  deletedUser: "Deleted user",
  createdBy: (name: string, when: string) => `Created by ${name}, ${when}`,
  formerMember: "a former member",
  deleteTask: "Delete task",
  deleteIt: "Delete",
  cancel: "Cancel",

  // Conflicts
  toDecide: (n: number) => `${n} ${n === 1 ? "change needs" : "changes need"} your decision`,
  conflicts: "Your decision is needed",
  conflictHint: "Somebody changed the same while your change was on its way.",
  goneHint: "What you changed was deleted meanwhile.",
  deletionHint: "You deleted this, and somebody changed it meanwhile.",
  refusedHint: (message: string) => `The service did not accept this: ${message}`,
  mine: "Yours",
  theirs: "Theirs",
  before: "Before",
  keepMine: "Keep yours",
  keepTheirs: "Keep theirs",
  keepBoth: "Keep both",
  deleteAnyway: "Delete anyway",
  discard: "Discard",
  tryAgain: "Try again",
  nothing: "nothing",
  members_: {
    title: "Title",
    content: "Note",
    text: "Comment",
    due_date: "Due",
    starred: "Starred",
    completed: "Completed",
    assignee_id: "Assigned to",
    list_id: "List",
    recurrence_type: "Repeats",
    recurrence_count: "Every",
    date: "Reminder",
    muted: "Muted",
    state: "Invitation",
    email: "Email address",
    list_ids: "Lists",
    public: "Public",
    name: "Name",
  } as Readonly<Record<string, string>>,
  yes: "yes",
  no: "no",

  // Signing out
  signOutAsked: "Sign out with changes that were not sent?",
  signOutHint: (n: number) => `${changes(n)} made here did not reach the service yet. Signing out discards them.`,
  signOut: "Sign out",

  // Keys
  shortcuts: "Keyboard shortcuts",
  /** A key, then what it does. */
  keys: `n | Add a task
/ | Search
↓ ↑ or j k | Next, previous task
Enter | Open the details
Space | Complete
s | Star
t | Due today
m | Move to another list
x | Select
Shift ↓ ↑ | Select several
Ctrl a | Select all
Alt ↓ ↑ | Move in the list
Delete | Delete
Ctrl z | Undo
g then i, t, w, s, a, c | Go to Inbox, Today, Week, Starred, Assigned, Completed
Esc | Close what is on top
? | This help`,
}

/** The form of a language. */
export type Texts = typeof en

const LANGUAGES: Readonly<Record<string, Texts>> = { en }

/** The language of the page: the first that the reader prefers and that is here. */
export const language: string =
  navigator.languages.map((one) => one.slice(0, 2)).find((one) => Object.hasOwn(LANGUAGES, one)) ?? "en"

/** In the first of the reader's languages that is here, or in English. */
export const t: Texts = LANGUAGES[language] ?? en
