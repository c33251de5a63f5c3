-- The ETags of some stores are not the MD5 of a part. What a store checked when the part passed through a node is kept by its ETag.

-- AlterTable
ALTER TABLE "upload_digests" ADD COLUMN     "etag" TEXT;
