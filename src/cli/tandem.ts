#!/usr/bin/env node
import { bearLeftReaders } from "../telemetry/streams.js"
import { runProgram } from "./program.js"

bearLeftReaders()
await runProgram(process.argv.slice(2))
