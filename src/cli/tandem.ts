#!/usr/bin/env node
import { runProgram } from "./program.js"
import { bearLeftReaders } from "./streams.js"

bearLeftReaders()
await runProgram(process.argv.slice(2))
