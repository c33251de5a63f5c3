/** In English: a key, then what it does. */
export const keys = `n | Add a task
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
? | This help`
