-- Each mark of a reader is a change of its own, also one that says what was said before: every accepted write raises the
-- comment's revision by one and is told, and none makes the revision of another writer stale.

-- AlterTable
ALTER TABLE "comment_reads" ADD COLUMN     "read" BOOLEAN NOT NULL DEFAULT true;

DROP TRIGGER "00_record" ON comment_reads;
CREATE TRIGGER "00_record" AFTER INSERT OR UPDATE OR DELETE ON comment_reads FOR EACH ROW EXECUTE FUNCTION record_read();
