import { joined } from '../text/quantities.ts'
import { api } from './api.ts'
import { authLogout, authStatus, authToken } from './auth/keys.ts'
import { authLogin } from './auth/login.ts'
import { configCommands } from './config.ts'
import { group, renamed } from './declare.ts'
import { doctor } from './doctor.ts'
import { environmentCommands } from './env.ts'
import { sendMessage } from './messages/send.ts'
import { addPet } from './pets/add.ts'
import { getPet } from './pets/get.ts'
import { importPets } from './pets/import.ts'
import { listPets } from './pets/list.ts'
import { serveCommand } from './serve.ts'

/** Commands that run at the top too, where other programs have them. */
export const topLevelCommands = [
  renamed('login', authLogin),
  renamed('logout', authLogout),
  renamed('whoami', authStatus)
]

const petCommands = [listPets, getPet, addPet, importPets]

const petVerbs = petCommands.map(each => each.name())

/** The commands, under the headings of the help page. `cli` adds those that print the tree. */
export const allCommands = {
  'Pets and messages': [
    group('pets', `${joined(petVerbs, 'and')} pets`, petCommands).alias('pet'),
    group('messages', 'send messages', [sendMessage]).alias('message'),
    api
  ],
  'Environments and keys': [
    environmentCommands,
    group('auth', 'log in, log out and show API keys', [
      authLogin,
      authStatus,
      authToken,
      authLogout
    ]),
    configCommands
  ],
  More: [serveCommand, doctor]
}
