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
import { type DeclaredCommand, group } from './declare.ts'
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
import { serve } from './serve.ts'

/** All that can be typed after `petstore`, but for the commands that print the tree. */
export const allCommands = (): readonly DeclaredCommand[] => [
  group(
    'pets',
    'list, add, import and fetch animals',
    [listPets(), getPet(), addPet(), importPets()],
    [
      ['petstore pets list --env local', 'the animals of the local service'],
      ['petstore pets add --env local --name Rex --category-id 2', 'one more'],
    ],
  ),
  group(
    'messages',
    'send messages',
    [sendMessage()],
    [
      ["petstore messages send 'Do you have a parrot?' --env local", 'send a message to the local service'],
      ['date | petstore messages send --env local', 'send what another program prints'],
    ],
  ),
  group(
    'auth',
    'log in and out, look at keys',
    [authLogin(), authStatus(), authToken(), authLogout()],
    [
      ['petstore auth login --base-url https://HOST/v1', 'keep a key, which is asked for and does not show'],
      ['petstore auth status --env local', 'which environment has a key, and from where'],
    ],
  ),
  group(
    'env',
    'the environments and their addresses',
    [environmentList(), environmentUse(), environmentSet(), environmentUnset()],
    [
      ['petstore env list', 'the environments and their addresses'],
      ['petstore env use local', 'work on the local service from now on'],
    ],
  ),
  group(
    'config',
    'preferences, and every setting in force',
    [configList(), configGet(), configSet(), configUnset(), configFilePath()],
    [
      ['petstore config list', 'what holds now, and because of what'],
      ['petstore config set output table', 'tables, also in a pipe'],
    ],
  ),
  api(),
  serve(),
  doctor(),
]
