import type { Topic } from '../page.ts'
import { agents } from './agents.ts'
import { environment } from './environment.ts'
import { exitCodes } from './exit-codes.ts'
import { formats } from './formats.ts'
import { imports } from './import.ts'
import { options } from './options.ts'
import { security } from './security.ts'

export const topics: readonly Topic[] = [options, environment, exitCodes, formats, imports, security, agents]
