import { joined } from '../text/quantities.ts'
import { api } from './api.ts'
import { authLogin } from './auth/login.ts'
import { authLogout } from './auth/logout.ts'
import { authStatus } from './auth/status.ts'
import { authToken } from './auth/token.ts'
import { configGet } from './config/get.ts'
import { configList } from './config/list.ts'
import { configFilePath } from './config/path.ts'
import { configSet } from './config/set.ts'
import { configUnset } from './config/unset.ts'
import { group, renamed } from './declare.ts'
import { doctor } from './doctor.ts'
import { environmentList } from './env/list.ts'
import { environmentSet } from './env/set.ts'
import { environmentUnset } from './env/unset.ts'
import { environmentUse } from './env/use.ts'
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

const petsSummary = `${joined(petVerbs, 'and')} pets`

/** The commands, under the headings of the help page. `cli` adds those that print the tree. */
export const allCommands = {
  'Pets and messages': [
    group('pets', petsSummary, petCommands).alias('pet'),
    group('messages', 'send messages', [sendMessage]).alias('message'),
    api
  ],
  'Environments and keys': [
    group('env', 'manage environments and their URLs', [
      environmentList,
      environmentUse,
      environmentSet,
      environmentUnset
    ]),
    group('auth', 'log in, log out and show API keys', [
      authLogin,
      authStatus,
      authToken,
      authLogout
    ]),
    group('config', 'show and save settings', [
      configList,
      configGet,
      configSet,
      configUnset,
      configFilePath
    ])
  ],
  More: [serveCommand, doctor]
}
