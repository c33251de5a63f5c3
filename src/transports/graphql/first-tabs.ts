/** What a tab of the explorer begins with. */
export type FirstTab = { readonly query: string; readonly variables?: string }

/** The tabs that the explorer opens with where none are kept. A test holds them against the schema. */
export const FIRST_TABS: readonly FirstTab[] = [
  {
    query: `# Press Ctrl-Enter when you are signed in. Else put your
# client ID and access token into the headers below.
# The other tabs: a deep read, smart lists, a change,
# many changes as one, live events.

query Lists {
  lists {
    id
    title
    listType
    revision
  }
}
`,
  },
  {
    query: `# One list with all that is in it, in one request.
# Its id goes into the variables below.

query ListWithTasks($listId: ID!) {
  list(id: $listId) {
    title
    members {
      name
    }
    tasks {
      id
      title
      dueDate
      revision
      subtasks {
        title
        completed
      }
      comments {
        text
        author {
          name
        }
      }
    }
  }
}
`,
    variables: '{\n  "listId": "2"\n}',
  },
  {
    query: `# Lists that are made by looking: over all of yours,
# without anything that is kept. The days are yours
# to say, for the service has no time zone.

query SmartLists($yesterday: Date!, $today: Date!, $nextWeek: Date!, $since: DateTime!) {
  today: findTasks(filter: { completed: false, due: { from: $today, to: $today } }) { ...Found }
  week: findTasks(filter: { completed: false, due: { from: $today, to: $nextWeek } }) { ...Found }
  overdue: findTasks(filter: { completed: false, due: { to: $yesterday } }) { ...Found }
  starred: findTasks(filter: { completed: false, starred: true }) { ...Found }
  mine: findTasks(filter: { completed: false, assigneeId: "me" }) { ...Found }
  done: findTasks(filter: { completedAt: { from: $since } }, orderBy: COMPLETED_AT_DESC) { ...Found }
  milk: findTasks(filter: { text: "milk" }) { ...Found }
}

fragment Found on TaskConnection {
  nodes {
    id
    title
    dueDate
    matches {
      type
      id
    }
  }
  pageInfo {
    hasNextPage
    endCursor
  }
}
`,
    variables:
      '{\n  "yesterday": "2026-12-23",\n  "today": "2026-12-24",\n  "nextWeek": "2026-12-30",\n  "since": "2026-12-17T00:00:00Z"\n}',
  },
  {
    query: `# A change. For another one, send the revision
# that you have seen to updateTask.

mutation AddTask($input: CreateTaskInput!) {
  createTask(input: $input) {
    id
    title
    dueDate
    revision
  }
}
`,
    variables: '{\n  "input": {\n    "listId": "2",\n    "title": "Buy milk",\n    "dueDate": "2026-12-24"\n  }\n}',
  },
  {
    query: `# Moves tasks to another list, as one change: @atomic
# moves all of them or, when one is refused, none. For
# more of them, up to 100, add variables and fields.

mutation MoveTasks($listId: ID!, $task1: ID!, $revision1: Int!, $task2: ID!, $revision2: Int!) @atomic {
  moved1: updateTask(id: $task1, input: { revision: $revision1, listId: $listId }) {
    id
    listId
    revision
  }
  moved2: updateTask(id: $task2, input: { revision: $revision2, listId: $listId }) {
    id
    listId
    revision
  }
}
`,
    variables: '{\n  "listId": "2",\n  "task1": "1",\n  "revision1": 1,\n  "task2": "2",\n  "revision2": 1\n}',
  },
  {
    query: `# Completes tasks as one change. What recurs comes
# back as a new task, as when it is completed alone.

mutation CompleteTasks($task1: ID!, $revision1: Int!, $task2: ID!, $revision2: Int!) @atomic {
  completed1: updateTask(id: $task1, input: { revision: $revision1, completed: true }) {
    id
    completedAt
    revision
  }
  completed2: updateTask(id: $task2, input: { revision: $revision2, completed: true }) {
    id
    completedAt
    revision
  }
}
`,
    variables: '{\n  "task1": "1",\n  "revision1": 1,\n  "task2": "2",\n  "revision2": 1\n}',
  },
  {
    query: `# Deletes tasks as one change. When somebody has changed
# one of them since you read it, nothing is deleted.

mutation DeleteTasks($task1: ID!, $revision1: Int!, $task2: ID!, $revision2: Int!) @atomic {
  deleted1: deleteTask(id: $task1, revision: $revision1)
  deleted2: deleteTask(id: $task2, revision: $revision2)
}
`,
    variables: '{\n  "task1": "1",\n  "revision1": 1,\n  "task2": "2",\n  "revision2": 1\n}',
  },
  {
    query: `# Everything that happens in a list, live:
# start it, then change something in another tab.

subscription Changes($listId: ID!) {
  listUpdated(listId: $listId) {
    operation
    subjectType
    subjectId
    listRevision
    after
  }
}
`,
    variables: '{\n  "listId": "2"\n}',
  },
]
