-- Compressing what is recorded took two thirds of the database's processor time (1.0 against 0.3 s for 100,000 events) and saved
-- a third of the room.
ALTER TABLE "console"."segments" ALTER COLUMN "body" SET STORAGE EXTERNAL;
